// Warnings about addresses that only lenient parsers read (apimachinery: util/validation/ip.go).
import { formatCidr, formatIp, goQuote, isNonStandardIp, parseCidr, parseIp } from "@fairlead/apimachinery";

/** Warnings about an address that has passed validation. */
export function ipWarnings(text: string, path: string): readonly string[] {
  const address = parseIp(text);
  if (address === undefined) return [];
  const canonical = formatIp(address);
  if (isNonStandardIp(text))
    return [`${path}: non-standard IP address ${goQuote(text)} is invalid: use ${goQuote(canonical)}`];
  if (address.bits === 32 || canonical === text) return [];
  return [`${path}: IPv6 address ${goQuote(text)} should be in RFC 5952 canonical format (${goQuote(canonical)})`];
}

/** Warnings about a network that has passed validation. */
export function cidrWarnings(text: string, path: string): readonly string[] {
  const cidr = parseCidr(text);
  if (cidr === undefined) return [];
  const address = text.slice(0, text.indexOf("/"));
  const network = formatCidr(cidr);
  const single = `${formatIp(cidr.address)}/${cidr.address.bits}`;
  const quoted = goQuote(text);
  const isNetwork = network === `${formatIp(cidr.address)}/${cidr.prefix}`;
  const out = isNetwork
    ? []
    : [
        `${path}: CIDR value ${quoted} is ambiguous in this context (should be ${goQuote(network)} or ${goQuote(single)}?)`,
      ];
  if (isNonStandardIp(address) || /\/0\d/.test(text))
    return [...out, `${path}: non-standard CIDR value ${quoted} is invalid: use ${goQuote(network)}`];
  if (!isNetwork || cidr.address.bits === 32 || network === text) return out;
  return [`${path}: IPv6 CIDR value ${quoted} should be in RFC 5952 canonical format (${goQuote(network)})`];
}
