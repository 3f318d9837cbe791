import {
  bodyText,
  getPath,
  never,
  parseJson,
  silentLogger,
  stringifyJson,
  type HttpRequest,
  type HttpResponse,
  type JsonObject,
} from "@fairlead/base";
import { systemClock, systemRandom } from "@fairlead/base/node";
import { expect, it } from "vitest";

import { certificateAuthority, serverCertificate } from "./auth/certificates/certificates.js";
import { listen } from "./http/node.js";
import { startListeningServer } from "./listening-server.js";

const NAMES = ["127.0.0.1"];

/** Copies what it is sent, in the wanted version. */
function converts(request: HttpRequest): Promise<HttpResponse> {
  const sent = typeof request.body === "string" ? request.body : new TextDecoder().decode(request.body);
  const review = parseJson(sent) as JsonObject;
  const apiVersion = getPath(review, "request", "desiredAPIVersion") ?? "";
  const objects = getPath(review, "request", "objects") as readonly JsonObject[];
  const response = {
    uid: getPath(review, "request", "uid") ?? "",
    convertedObjects: objects.map((object) => ({ ...object, apiVersion, spec: { in: apiVersion } })),
    result: { status: "Success" },
  };
  return Promise.resolve({
    status: 200,
    headers: { "content-type": "application/json" },
    body: stringifyJson({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", response }),
  });
}

it("asks a conversion webhook over TLS, with the definition's caBundle", async () => {
  const nowMs = systemClock.now();
  const authority = certificateAuthority({ commonName: "hooks-ca", nowMs, random: systemRandom });
  const webhook = await listen({
    handler: converts,
    logger: silentLogger,
    certificate: serverCertificate(authority, { commonName: "hooks", names: NAMES, nowMs, random: systemRandom }),
    authority: authority.certificate,
    host: "127.0.0.1",
    port: 0,
  });
  const server = await startListeningServer({ logger: silentLogger });
  try {
    const ask = async (method: string, path: string, body?: JsonObject): Promise<JsonObject> => {
      const headers = { "content-type": "application/json" };
      const text = body === undefined ? {} : { body: stringifyJson(body) };
      return parseJson(
        await bodyText(await server.api.transport()({ method, path, headers, ...text }, never)),
      ) as JsonObject;
    };
    const schema = {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", properties: { in: { type: "string" } } } },
      },
    };
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await ask("POST", definitions, {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "things.lab.dev" },
      spec: {
        group: "lab.dev",
        scope: "Namespaced",
        names: { plural: "things", kind: "Thing" },
        versions: ["v1", "v2"].map((name) => ({ name, served: true, storage: name === "v1", schema })),
        conversion: {
          strategy: "Webhook",
          webhook: {
            clientConfig: {
              url: `https://127.0.0.1:${webhook.port}/convert`,
              caBundle: Buffer.from(authority.certificate).toString("base64"),
            },
            conversionReviewVersions: ["v1"],
          },
        },
      },
    });
    await expect
      .poll(async () => stringifyJson(await ask("GET", `${definitions}/things.lab.dev`)), { timeout: 10_000 })
      .toContain('"InitialNamesAccepted"');
    const things = (version: string): string => `/apis/lab.dev/${version}/namespaces/default/things`;
    await ask("POST", things("v1"), {
      apiVersion: "lab.dev/v1",
      kind: "Thing",
      metadata: { name: "a" },
      spec: { in: "v0" },
    });
    expect(await ask("GET", `${things("v1")}/a`)).toMatchObject({ spec: { in: "v0" } });
    expect(await ask("GET", `${things("v2")}/a`)).toMatchObject({
      apiVersion: "lab.dev/v2",
      spec: { in: "lab.dev/v2" },
    });
  } finally {
    await server.close();
    await webhook.close();
  }
});
