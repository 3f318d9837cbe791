// IP addresses and CIDRs as Kubernetes reads them: leading zeros in IPv4 are tolerated (k8s.io/utils/net ParseIPSloppy).

/** An address as a number, with the bits it has; an IPv4 address inside IPv6 is IPv6 here. */
export interface IpAddress {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

/** A network: its address as it was written, and the length of its prefix. */
export interface Cidr {
  readonly address: IpAddress;
  readonly prefix: number;
}

/** Undefined for a text that is not an address. Zones are not accepted. */
export function parseIp(text: string): IpAddress | undefined {
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split(".");
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    if (!/^\d+$/.test(part) || Number(part) > 255) return undefined;
    value = (value << 8n) | BigInt(part);
  }
  return { bits: 32, value };
}

function parseIpv6(text: string): IpAddress | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = groups(halves[0] ?? "", halves.length === 1);
  const tail = halves.length === 2 ? groups(halves[1] ?? "", true) : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = [...head, ...new Array<bigint>(missing).fill(0n), ...tail];
  return { bits: 128, value: all.reduce((value, group) => (value << 16n) | group, 0n) };
}

/** 16-bit groups; the last may be an IPv4 address. */
function groups(text: string, last: boolean): readonly bigint[] | undefined {
  if (text === "") return [];
  const out: bigint[] = [];
  const parts = text.split(":");
  for (const [i, part] of parts.entries()) {
    if (part.includes(".")) {
      const ipv4 = last && i === parts.length - 1 ? parseIpv4(part) : undefined;
      if (ipv4 === undefined) return undefined;
      out.push(ipv4.value >> 16n, ipv4.value & 0xffffn);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) out.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return out;
}

/** Undefined for a text that is not `address/prefix`. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return undefined;
  const address = parseIp(text.slice(0, slash));
  const prefix = text.slice(slash + 1);
  if (address === undefined || !/^\d+$/.test(prefix) || Number(prefix) > address.bits) return undefined;
  return { address, prefix: Number(prefix) };
}

/** The canonical spelling (RFC 5952). */
export function formatIp({ bits, value }: IpAddress): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join(".");
  if (value >> 32n === 0xffffn) return formatIp({ bits: 32, value: value & 0xffffffffn });
  const words = [112n, 96n, 80n, 64n, 48n, 32n, 16n, 0n].map((shift) => Number((value >> shift) & 0xffffn));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (words[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = words.map((word) => word.toString(16));
  if (best.start < 0) return hex.join(":");
  return `${hex.slice(0, best.start).join(":")}::${hex.slice(best.start + best.length).join(":")}`;
}

/** The network, with the bits beyond the prefix cleared. */
export function formatCidr({ address, prefix }: Cidr): string {
  return `${formatIp(maskedAddress({ address, prefix }))}/${prefix}`;
}

/** The first address of a network. */
export function maskedAddress({ address, prefix }: Cidr): IpAddress {
  const rest = BigInt(address.bits - prefix);
  return { bits: address.bits, value: (address.value >> rest) << rest };
}

/** Whether a network holds an address of its own family. */
export function cidrContains(cidr: Cidr, address: IpAddress): boolean {
  return (
    cidr.address.bits === address.bits &&
    maskedAddress({ address, prefix: cidr.prefix }).value === maskedAddress(cidr).value
  );
}

/** Whether a text is spelled in a way that only lenient parsers accept: leading zeros, IPv4 inside IPv6. */
export function isNonStandardIp(text: string): boolean {
  const address = parseIp(text);
  if (address === undefined) return false;
  return address.bits === 32 ? text !== formatIp(address) : address.value >> 32n === 0xffffn;
}
