/** A kubeconfig for one cluster with one user. */
export function kubeconfig({
  server,
  authority,
  token,
}: {
  readonly server: string;
  readonly authority: string;
  readonly token: string;
}): string {
  return `apiVersion: v1
kind: Config
clusters:
- name: fairlead
  cluster:
    server: ${server}
    certificate-authority-data: ${Buffer.from(authority).toString("base64")}
users:
- name: admin
  user:
    token: ${token}
contexts:
- name: fairlead
  context:
    cluster: fairlead
    user: admin
    namespace: default
current-context: fairlead
`;
}
