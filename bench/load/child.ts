import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Where a server of the benches listens, as its process prints it: one line of JSON. */
export interface Address {
  readonly url: string;
  /** PEM. */
  readonly authority: string;
  /** Bearer token; empty where none is asked for. */
  readonly token: string;
}

export interface Child extends Address {
  close(): Promise<void>;
}

/** Runs a server of this folder in a process of its own, so that the load does not take from what it loads. */
export async function startChild(program: "bare" | "fairlead", args: readonly string[]): Promise<Child> {
  const main = fileURLToPath(new URL(`./${program}.js`, import.meta.url));
  const child = spawn(process.execPath, [main, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => {
    child.on("close", () => {
      resolve();
    });
  });
  for await (const line of createInterface({ input: child.stdout })) {
    return {
      ...(JSON.parse(line) as Address),
      close: () => {
        child.stdin.end();
        return ended;
      },
    };
  }
  throw new Error(`${program} ended before it listened`);
}

/** The other side: says where the server listens, and waits until the bench has ended. */
export async function announce(address: Address): Promise<void> {
  process.stdout.write(`${JSON.stringify(address)}\n`);
  await new Promise((resolve) => {
    process.stdin.on("end", resolve).resume();
  });
}
