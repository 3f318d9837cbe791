import { FairleadError } from "@fairlead/base";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";

import type { RestoreFlags, SnapshotFlags } from "./commands/backup.js";
import type { ServerFlags } from "./commands/server.js";
import type { UpFlags } from "./commands/up.js";
import { Interrupted, type Terminal } from "./terminal.js";

/** Runs the command line. Returns the exit status: 0, 1 for a failure, 2 for wrong usage. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  let status = 0;
  const program = commands(terminal, (code) => {
    status = code;
  });
  try {
    await program.parseAsync([...args], { from: "user" });
    return status;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (error instanceof Interrupted) return 130;
    terminal.stderr.write(
      `error: ${error instanceof FairleadError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return 1;
  }
}

function commands(terminal: Terminal, exit: (status: number) => void): Command {
  const program = new Command("fairlead")
    .description("Kubernetes controllers in TypeScript whose every write touches only what they own")
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => void terminal.stdout.write(text),
      writeErr: (text) => void terminal.stderr.write(text),
    });
  const server = program
    .command("server")
    .description("run the embedded API server alone")
    .enablePositionalOptions()
    .addOption(portOption())
    .addOption(new Option("--data-dir <dir>", "keep objects in this folder").conflicts("memory"))
    .option("--memory", "keep objects in memory (the default)")
    .option(
      "--controllers <list>",
      "controllers to run, as kube-controller-manager takes them: *, name, -name; scheduler and kubelet are names too; none",
      "*",
    )
    .option("--disable-admission-plugins <list>", "admission plug-ins to leave out, separated by commas")
    .addOption(
      new Option(
        "--emptied-containers <how>",
        "what an apply leaves of a map or list whose last member it removes: empty (Kubernetes 1.36.0 to 1.36.2) or null (before and after)",
      ).choices(["empty", "null"]),
    )
    .option("--kubeconfig <file>", "where to write the kubeconfig")
    .option("--token-file <file>", "where to write the token of user admin")
    .action(async (flags: ServerFlags) => {
      const { serverCommand } = await import("./commands/server.js");
      await serverCommand(flags, terminal);
    });
  server
    .command("snapshot")
    .description("write everything that a data folder holds into one file, also while its server runs")
    .requiredOption("--data-dir <dir>", "the data folder")
    .requiredOption("--to <file>", "the file to write; replaced when it exists")
    .action(async (flags: SnapshotFlags) => {
      const { snapshotCommand } = await import("./commands/backup.js");
      await snapshotCommand(flags, terminal);
    });
  server
    .command("restore")
    .description("make a new data folder of what `fairlead server snapshot` wrote")
    .requiredOption("--from <file>", "the file to read")
    .requiredOption("--data-dir <dir>", "the folder to make; nothing may be stored there")
    .action(async (flags: RestoreFlags) => {
      const { restoreCommand } = await import("./commands/backup.js");
      await restoreCommand(flags, terminal);
    });
  program
    .command("up")
    .description("start everything on this machine and bring a chart to Running")
    .option(
      "--chart <chart>",
      "a chart: FILE.tgz, a folder, oci://… or https://…; the sample inference chart when absent",
    )
    .option("--values <file>", "values for the chart, YAML")
    .option("--name <name>", "name of the service", "sample")
    .option("--once", "exit when it runs (0), or cannot (not 0)")
    .addOption(
      new Option("--policy <name>", "which objects the chart may have").choices(["default", "unrestricted", "trusted"]),
    )
    .option("--data-dir <dir>", "keep everything in this folder")
    .addOption(portOption())
    .action(async (flags: UpFlags) => {
      const { upCommand } = await import("./commands/up.js");
      exit(await upCommand(flags, terminal));
    });
  return program;
}

function portOption(): Option {
  return new Option("--port <n>", "port on 127.0.0.1; 0 takes any free one").default(0).argParser((text) => {
    const port = Number(text);
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new InvalidArgumentError("a port is a number from 0 to 65535");
    return port;
  });
}
