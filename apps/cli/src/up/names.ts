/** Whether a text is a DNS label: what namespaces and services may be called. */
export function isDnsName(text: string): boolean {
  return /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text);
}
