import { bodyText, never, silentLogger, type HttpRequest } from "@fairlead/base";
import { systemClock, systemRandom } from "@fairlead/base/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { certificateAuthority, serverCertificate, type KeyPair } from "../auth/certificates/certificates.js";
import { listen, type Listening } from "./node.js";
import { httpsWebhooks } from "./webhook-transport.js";

const REVIEW: HttpRequest = { method: "POST", path: "/convert?timeout=30s", headers: {}, body: '{"ü":1}' };

let authority: KeyPair;
let webhook: Listening;
let origin: string;

beforeAll(async () => {
  const nowMs = systemClock.now();
  authority = certificateAuthority({ commonName: "hooks-ca", nowMs, random: systemRandom });
  webhook = await listen({
    handler: (request, signal) => {
      if (request.path.startsWith("/slow"))
        return new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        });
      if (request.path.startsWith("/moved"))
        return Promise.resolve({ status: 307, headers: { location: "/convert" }, body: "" });
      const sent = typeof request.body === "string" ? request.body : new TextDecoder().decode(request.body);
      return Promise.resolve({ status: 200, headers: {}, body: `${request.method} ${request.path} ${sent}` });
    },
    logger: silentLogger,
    certificate: serverCertificate(authority, {
      commonName: "hooks",
      names: ["127.0.0.1", "hooks.default.svc"],
      nowMs,
      random: systemRandom,
    }),
    authority: authority.certificate,
    host: "127.0.0.1",
    port: 0,
  });
  origin = `https://127.0.0.1:${webhook.port}`;
});
afterAll(() => webhook.close());

describe("a webhook over TLS", () => {
  it("is sent the review", async () => {
    const call = httpsWebhooks({ origin, authorities: authority.certificate });
    expect(await bodyText(await call(REVIEW, never))).toBe('POST /convert?timeout=30s {"ü":1}');
  });

  it("may be certified for the name of its Service", async () => {
    const named = httpsWebhooks({ origin, serverName: "hooks.default.svc", authorities: authority.certificate });
    expect((await named(REVIEW, never)).status).toBe(200);
    const other = httpsWebhooks({ origin, serverName: "other.default.svc", authorities: authority.certificate });
    await expect(other(REVIEW, never)).rejects.toThrow(/other\.default\.svc/);
  });

  it("has to be certified by an authority that is trusted", async () => {
    await expect(httpsWebhooks({ origin })(REVIEW, never)).rejects.toThrow(
      "tls: failed to verify certificate: x509: certificate signed by unknown authority",
    );
  });

  it("is not followed elsewhere", async () => {
    const call = httpsWebhooks({ origin, authorities: authority.certificate });
    expect((await call({ ...REVIEW, path: "/moved" }, never)).status).toBe(307);
  });

  it("is given up with the signal's reason", async () => {
    const controller = new AbortController();
    const call = httpsWebhooks({ origin, authorities: authority.certificate });
    const answer = call({ ...REVIEW, path: "/slow" }, controller.signal);
    const reason = new Error("enough");
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
  });

  it("that is not there is named", async () => {
    const gone = httpsWebhooks({ origin: "https://127.0.0.1:1", authorities: authority.certificate });
    await expect(gone(REVIEW, never)).rejects.toThrow("dial tcp 127.0.0.1:1: connect: connection refused");
  });
});
