import { isStatus, type FieldSelector, type LabelSelector } from "@fairlead/apimachinery";

import { deleteObject, type DeleteOptions } from "./delete.js";
import type { Endpoint } from "./endpoint.js";
import { listObjects, type Listed } from "./list.js";
import { metaText } from "./metadata.js";
import type { Registry } from "./registry.js";
import type { RequestContext } from "./request.js";

export interface DeleteCollectionRequest {
  readonly namespace: string | undefined;
  readonly labels: LabelSelector | undefined;
  readonly fields: FieldSelector | undefined;
  readonly limit: number | undefined;
  readonly options: DeleteOptions;
  readonly context: RequestContext;
}

/** DELETE of a collection: each selected object is deleted; the answer is the list as it was. */
export async function deleteCollection(
  registry: Registry,
  endpoint: Endpoint,
  request: DeleteCollectionRequest,
): Promise<Listed> {
  const { namespace, labels, fields, limit, options, context } = request;
  const listed = await listObjects(
    registry,
    endpoint,
    {
      namespace,
      labels,
      fields,
      limit,
      continueToken: undefined,
      resourceVersion: undefined,
      match: undefined,
      ending: context.ending,
    },
    registry.continueTokens,
  );
  for (const object of listed.objects) {
    const own = metaText(object, "namespace");
    const target = { namespace: own === "" ? undefined : own, name: metaText(object, "name"), subresource: "" };
    try {
      await deleteObject(registry, endpoint, { target, options, context });
    } catch (error) {
      if (!isStatus(error, "NotFound")) throw error;
    }
  }
  return listed;
}
