/** A ConfigMap of 1 KB; another text for each round. */
export function configMap(name: string, round: number): string {
  const value = (i: number): string => (i === 0 ? `${round} ` : "").padEnd(85, "x");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels: { app: "load" } },
    data: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`key-${i}`, value(i)])),
  });
}

/** A Deployment of 4 KB: four containers with all that people write; another text for each round. */
export function deployment(name: string, round: number): string {
  const labels = { app: name };
  const containers = Array.from({ length: 4 }, (_, i) => ({
    name: `container-${i}`,
    image: `registry.example/app:${round}`,
    args: ["--first=argument", "--second=argument"],
    env: Array.from({ length: 12 }, (_, j) => ({ name: `VARIABLE_${j}`, value: `the value of variable ${j}` })),
    ports: [{ name: `port-${i}`, containerPort: 8080 + i }],
    resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "1", memory: "128Mi" } },
    livenessProbe: { httpGet: { path: "/healthz", port: 8080 + i } },
  }));
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, labels },
    spec: { replicas: 3, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  });
}
