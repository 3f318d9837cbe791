import { X509Certificate } from "node:crypto";

import { seededRandom } from "@fairlead/base";
import { describe, expect, it } from "vitest";

import { certificateAuthority, clientCertificate, serverCertificate } from "./certificates.js";

const nowMs = Date.UTC(2026, 10, 30);
const random = seededRandom(1);
const authority = certificateAuthority({ commonName: "fairlead", nowMs, random });

describe("certificates", () => {
  it("are signed by their authority and name every address of the server", () => {
    const server = new X509Certificate(
      serverCertificate(authority, {
        commonName: "kubernetes",
        names: ["localhost", "127.0.0.1", "::1"],
        nowMs,
        random,
      }).certificate,
    );
    const ca = new X509Certificate(authority.certificate);
    expect(ca.ca).toBe(true);
    expect(server.ca).toBe(false);
    expect(server.verify(ca.publicKey)).toBe(true);
    expect(server.checkIssued(ca)).toBe(true);
    expect(server.checkHost("localhost")).toBe("localhost");
    expect(server.checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(server.checkIP("::1")).toBe("::1");
  });

  it("carry a user and its groups", () => {
    const client = new X509Certificate(
      clientCertificate(authority, { commonName: "jane", organizations: ["ops", "dev"], nowMs, random }).certificate,
    );
    expect(client.subject).toBe("O=ops\nO=dev\nCN=jane");
  });

  it("are valid for ten years around now, with a generalized time past 2049", () => {
    const late = new X509Certificate(
      certificateAuthority({ commonName: "late", nowMs: Date.UTC(2049, 0, 1), random }).certificate,
    );
    expect(late.validTo).toContain("2058");
    expect(new X509Certificate(authority.certificate).validFrom).toContain("Nov 29");
  });
});
