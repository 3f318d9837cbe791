import { FairleadError, never, VirtualClock, type Files } from "@fairlead/base";
import { describe, expect, it } from "vitest";
import {
  accessOf,
  execToken,
  fileToken,
  inCluster,
  loadKubeconfig,
  mergeKubeconfigs,
  parseKubeconfig,
  runExecPlugin,
  type Machine,
} from "../node.js";

const TEXT = `
apiVersion: v1
kind: Config
current-context: dev
clusters:
- {name: c, cluster: {server: "https://a:6443", certificate-authority: ca.pem}}
- {name: d, cluster: {server: "https://b:6443", certificate-authority-data: Q0E=, tls-server-name: other}}
users:
- {name: u, user: {token: secret}}
- {name: v, user: {client-certificate-data: Q0VSVA==, client-key: /abs/key.pem}}
contexts:
- {name: dev, context: {cluster: c, user: u, namespace: team}}
- {name: prod, context: {cluster: d, user: v}}
- {name: lost, context: {cluster: nowhere, user: u}}
`;

function machine(
  files: Readonly<Record<string, string>>,
  env: Machine["env"] = {},
): Machine & { readonly clock: VirtualClock } {
  const read = (path: string): Promise<Uint8Array> => {
    const text = files[path];
    return text === undefined
      ? Promise.reject(new FairleadError("FileNotFound", `cannot read ${path}`))
      : Promise.resolve(new TextEncoder().encode(text));
  };
  return {
    clock: new VirtualClock(),
    env,
    files: { read, exists: (path: string) => Promise.resolve(path in files) } as Files,
  };
}

describe("a kubeconfig", () => {
  const disk = machine({ "/home/.kube/config": TEXT, "/home/.kube/ca.pem": "CA", "/abs/key.pem": "KEY" });

  it("leads to a server, its authority, a user and a namespace", async () => {
    const connect = await loadKubeconfig(["/missing", "/home/.kube/config"], disk);
    expect(connect).toMatchObject({ server: "https://a:6443", ca: "CA", namespace: "team" });
    expect(await connect.credentials?.headers(never)).toEqual({ authorization: "Bearer secret" });
  });

  it("leads elsewhere by another context", async () => {
    expect(await loadKubeconfig(["/home/.kube/config"], disk, "prod")).toMatchObject({
      server: "https://b:6443",
      ca: "CA",
      tlsServerName: "other",
      cert: "CERT",
      key: "KEY",
      namespace: "default",
      credentials: undefined,
    });
  });

  it.each<[text: string, context: string | undefined, error: string]>([
    [TEXT, "none", 'no context "none"'],
    [TEXT, "lost", 'names cluster "nowhere"'],
    ["{}", undefined, "no current context"],
    ["a: [", undefined, "is no YAML"],
    ["kind: Pod", undefined, 'is a "Pod"'],
    ["", undefined, "is empty"],
  ])("says what is wrong (%#)", (text, context, error) => {
    expect(() => accessOf(parseKubeconfig(text), context)).toThrow(error);
  });

  it("is put together from several, the first wins", () => {
    const merged = mergeKubeconfigs([
      { "current-context": "", users: [{ name: "u", user: { token: "1" } }] },
      parseKubeconfig(TEXT),
    ]);
    expect(accessOf(merged)).toMatchObject({ context: "dev", user: { token: "1" } });
  });
});

describe("credentials", () => {
  it("of a file are read again after a minute, and when they are refused", async () => {
    const files: Record<string, string> = { "/token": "one\n" };
    const disk = machine(files);
    const token = fileToken("/token", disk);
    const now = async (): Promise<string | undefined> => (await token.headers(never)).authorization;
    expect(await now()).toBe("Bearer one");
    files["/token"] = "two";
    expect(await now()).toBe("Bearer one");
    await disk.clock.advance(60_000);
    expect(await now()).toBe("Bearer two");
    expect(await token.renew?.(never)).toBe(false);
    files["/token"] = "three";
    expect(await token.renew?.(never)).toBe(true);
    expect(await now()).toBe("Bearer three");
  });

  it("of a plugin are kept until shortly before they expire", async () => {
    const clock = new VirtualClock();
    let asked = 0;
    const token = execToken(
      () =>
        Promise.resolve({
          status: { token: `t${++asked}`, expirationTimestamp: new Date(clock.now() + 60_000).toISOString() },
        }),
      clock,
    );
    const now = async (): Promise<string | undefined> => (await token.headers(never)).authorization;
    expect([await now(), await now()]).toEqual(["Bearer t1", "Bearer t1"]);
    await clock.advance(51_000);
    expect(await now()).toBe("Bearer t2");
  });

  it("come from what a plugin prints", async () => {
    const plugin = (script: string): Promise<unknown> =>
      runExecPlugin(
        {
          apiVersion: "client.authentication.k8s.io/v1",
          command: process.execPath,
          args: ["-e", script],
          env: [{ name: "A", value: "b" }],
        },
        {},
        never,
      );
    const print =
      'console.log(JSON.stringify({kind:"ExecCredential",status:{token:process.env.A+JSON.parse(process.env.KUBERNETES_EXEC_INFO).kind}}))';
    expect(await plugin(print)).toMatchObject({ status: { token: "bExecCredential" } });
    await expect(plugin("console.error('no luck');process.exit(1)")).rejects.toThrow("no luck");
    await expect(plugin("console.log('{}')")).rejects.toThrow("did not print an ExecCredential");
    await expect(
      runExecPlugin({ apiVersion: "v1", command: "/no/such", installHint: "Get it." }, {}, never),
    ).rejects.toThrow("not installed. Get it.");
  });

  it("of a pod are where Kubernetes puts them", async () => {
    const account = "/var/run/secrets/kubernetes.io/serviceaccount";
    const pod = machine(
      { [`${account}/token`]: "t", [`${account}/ca.crt`]: "CA", [`${account}/namespace`]: "ns" },
      { KUBERNETES_SERVICE_HOST: "fd00::1", KUBERNETES_SERVICE_PORT: "443" },
    );
    expect(await inCluster(pod)).toMatchObject({ server: "https://[fd00::1]:443", ca: "CA", namespace: "ns" });
    await expect(inCluster(machine({}))).rejects.toThrow("no pod");
  });
});
