import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cidrContains,
  formatCidr,
  formatIp,
  isNonStandardIp,
  parseCidr,
  parseIp,
  type Cidr,
  type IpAddress,
} from "./ip.js";

const ip = (text: string): IpAddress => parseIp(text) ?? { bits: 32, value: -1n };
const cidr = (text: string): Cidr => parseCidr(text) ?? { address: ip(""), prefix: -1 };

describe("addresses", () => {
  it.each<[text: string, canonical: string | undefined]>([
    ["1.2.3.4", "1.2.3.4"],
    ["01.2.3.004", "1.2.3.4"],
    ["::", "::"],
    ["::1", "::1"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"],
    ["1::3:4:5:6:7:8", "1:0:3:4:5:6:7:8"],
    ["::ffff:1.2.3.4", "1.2.3.4"],
    ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
    ["", undefined],
    ["1.2.3", undefined],
    ["1.2.3.256", undefined],
    ["1.2.3.4.5", undefined],
    ["1::2::3", undefined],
    ["1:2:3:4:5:6:7", undefined],
    ["1:2:3:4:5:6:7::8", undefined],
    ["12345::", undefined],
    ["fe80::1%eth0", undefined],
    [" 1.2.3.4", undefined],
  ])("%j", (text, canonical) => {
    const address = parseIp(text);
    expect(address === undefined ? undefined : formatIp(address)).toBe(canonical);
  });

  it("are written so that they read the same", () => {
    const value = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n });
    fc.assert(
      fc.property(value, fc.nat(128), (bits, shift) => {
        const address: IpAddress = { bits: 128, value: (bits >> BigInt(shift)) << BigInt(shift >> 1) };
        // What lies in ::ffff:0:0/96 is written as the IPv4 address that it is.
        fc.pre(address.value >> 32n !== 0xffffn && address.value < 2n ** 128n);
        expect(parseIp(formatIp(address))).toEqual(address);
      }),
    );
  });

  it("are not standard with leading zeros or as IPv4 inside IPv6", () => {
    expect(["1.2.3.4", "01.2.3.4", "::1", "::ffff:1.2.3.4", "x"].map(isNonStandardIp)).toEqual([
      false,
      true,
      false,
      true,
      false,
    ]);
  });
});

describe("networks", () => {
  it.each<[text: string, canonical: string | undefined]>([
    ["10.1.2.3/8", "10.0.0.0/8"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:db8::1/32", "2001:db8::/32"],
    ["10.0.0.0/33", undefined],
    ["10.0.0.0", undefined],
    ["10.0.0.0/-1", undefined],
    ["10.0.0.0/ 8", undefined],
  ])("%j", (text, canonical) => {
    const network = parseCidr(text);
    expect(network === undefined ? undefined : formatCidr(network)).toBe(canonical);
  });

  it("hold the addresses of their prefix and family", () => {
    expect(cidrContains(cidr("10.0.0.0/8"), ip("10.255.0.1"))).toBe(true);
    expect(cidrContains(cidr("10.0.0.0/8"), ip("11.0.0.0"))).toBe(false);
    expect(cidrContains(cidr("::/0"), ip("10.0.0.1"))).toBe(false);
  });
});
