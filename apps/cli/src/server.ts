/** The embedded API server: in this process without a socket, or on a loopback port. */
export {
  MemoryStorage,
  openDiskStorage,
  startApiServer,
  type ApiServer,
  type ApiServerOptions,
  type Storage,
  type UserInfo,
} from "@fairlead/apiserver";
export { startListeningServer, type ListeningServer, type ListeningServerOptions } from "@fairlead/apiserver/node";
