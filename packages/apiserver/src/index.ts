export type { UserInfo } from "./registry/request.js";
export type { WebhookServer, WebhookTransport } from "./registry/webhooks.js";
export { startApiServer, type ApiServer, type ApiServerOptions } from "./server.js";
export { MemoryStorage, type MemoryStorageOptions } from "./storage/memory.js";
export { openDiskStorage, type DiskStorageOptions } from "./storage/disk.js";
export type { Storage } from "./storage/storage.js";
