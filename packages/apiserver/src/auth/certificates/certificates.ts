import { createHash, createPublicKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { isIP } from "node:net";

import type { Random } from "@fairlead/base";

import { bits, der, integer, objectId, octets, sequence, setOf, text, time, yes } from "./der.js";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface CertificateOptions {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** DNS names and IP addresses that a server certificate is good for. */
  readonly names?: readonly string[];
  readonly nowMs: number;
  readonly random: Random;
}

const YEARS_10_MS = 10 * 365 * 86_400_000;
const CLOCK_SKEW_MS = 3_600_000;
const ECDSA_SHA256 = sequence(objectId("1.2.840.10045.4.3.2"));

/** A new certificate authority (ECDSA P-256, valid for ten years). */
export function certificateAuthority(options: CertificateOptions): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = distinguishedName(options);
  const extensions = [
    extension("2.5.29.19", sequence(yes), true),
    extension("2.5.29.15", bits(Uint8Array.of(0x06), 1), true),
    extension("2.5.29.14", octets(keyId(publicKey))),
  ];
  return {
    certificate: certificate({ subject, issuer: subject, publicKey, extensions, signer: privateKey, options }),
    privateKey: pem(privateKey),
  };
}

/** A server certificate signed by an authority. */
export function serverCertificate(authority: KeyPair, options: CertificateOptions): KeyPair {
  return issue(authority, options, "1.3.6.1.5.5.7.3.1");
}

/** A client certificate signed by an authority: the user is its common name, the groups its organizations. */
export function clientCertificate(authority: KeyPair, options: CertificateOptions): KeyPair {
  return issue(authority, options, "1.3.6.1.5.5.7.3.2");
}

function issue(authority: KeyPair, options: CertificateOptions, usage: string): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const names = (options.names ?? []).map(generalName);
  const extensions = [
    extension("2.5.29.19", sequence(), true),
    extension("2.5.29.15", bits(Uint8Array.of(0xa0), 5), true),
    extension("2.5.29.37", sequence(objectId(usage))),
    extension("2.5.29.35", sequence(der(0x80, keyId(createPublicKey(authority.certificate))))),
    ...(names.length === 0 ? [] : [extension("2.5.29.17", sequence(...names))]),
  ];
  const issuer = subjectOf(authority.certificate);
  const subject = distinguishedName(options);
  return {
    certificate: certificate({ subject, issuer, publicKey, extensions, signer: authority.privateKey, options }),
    privateKey: pem(privateKey),
  };
}

interface Parts {
  readonly subject: Uint8Array;
  readonly issuer: Uint8Array;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Uint8Array[];
  readonly signer: KeyObject | string;
  readonly options: CertificateOptions;
}

function certificate({ subject, issuer, publicKey, extensions, signer, options }: Parts): string {
  const serial = options.random.bytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01;
  const body = sequence(
    der(0xa0, integer(Uint8Array.of(2))),
    integer(serial),
    ECDSA_SHA256,
    issuer,
    sequence(time(options.nowMs - CLOCK_SKEW_MS), time(options.nowMs + YEARS_10_MS)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions)),
  );
  const whole = sequence(body, ECDSA_SHA256, bits(sign("sha256", body, signer)));
  const lines = Buffer.from(whole)
    .toString("base64")
    .replace(/.{1,64}/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`;
}

function distinguishedName({ commonName, organizations = [] }: CertificateOptions): Uint8Array {
  const attribute = (id: string, value: string): Uint8Array => setOf(sequence(objectId(id), text(value)));
  return sequence(...organizations.map((o) => attribute("2.5.4.10", o)), attribute("2.5.4.3", commonName));
}

/** The subject of a certificate made here: the sixth member of its body. */
function subjectOf(certificatePem: string): Uint8Array {
  const whole = Buffer.from(certificatePem.replace(/-----[^-]+-----|\s/g, ""), "base64");
  let at = content(whole, content(whole, 0));
  for (let skipped = 0; skipped < 5; skipped++) at = end(whole, at);
  return whole.subarray(at, end(whole, at));
}

/** Where an element's content begins. */
function content(bytes: Uint8Array, at: number): number {
  const first = bytes[at + 1] ?? 0;
  return at + 2 + (first < 0x80 ? 0 : first & 0x7f);
}

/** Where an element ends. */
function end(bytes: Uint8Array, at: number): number {
  const first = bytes[at + 1] ?? 0;
  let size = first;
  if (first >= 0x80) {
    size = 0;
    for (let i = 0; i < (first & 0x7f); i++) size = size * 256 + (bytes[at + 2 + i] ?? 0);
  }
  return content(bytes, at) + size;
}

function extension(id: string, value: Uint8Array, critical = false): Uint8Array {
  return critical ? sequence(objectId(id), yes, octets(value)) : sequence(objectId(id), octets(value));
}

function keyId(key: KeyObject): Uint8Array {
  return createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();
}

function generalName(name: string): Uint8Array {
  switch (isIP(name)) {
    case 4:
      return der(0x87, Uint8Array.from(name.split("."), Number));
    case 6:
      return der(0x87, ipv6Bytes(name));
    default:
      return der(0x82, new TextEncoder().encode(name));
  }
}

function ipv6Bytes(name: string): Uint8Array {
  const [head = "", tail] = name.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array.from({ length: 8 - left.length - right.length }, () => "0"), ...right];
  return Uint8Array.from(groups.flatMap((g) => [Number.parseInt(g, 16) >> 8, Number.parseInt(g, 16) & 255]));
}

function pem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }) as string;
}
