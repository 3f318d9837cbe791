/** Kubernetes' order of versions: GA before beta before alpha, higher numbers first, other names last, by name. */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [rank(a), rank(b)];
  for (let i = 0; i < 3; i++) {
    const difference = (y[i] as number) - (x[i] as number);
    if (difference !== 0) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function rank(version: string): readonly [number, number, number] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return [0, 0, 0];
  const [, major = "0", stage, minor = "0"] = match;
  return [stage === undefined ? 3 : stage === "beta" ? 2 : 1, Number(major), Number(minor)];
}
