export {
  certificateAuthority,
  clientCertificate,
  serverCertificate,
  type CertificateOptions,
  type KeyPair,
} from "./auth/certificates/certificates.js";
export { startListeningServer, type ListeningServer, type ListeningServerOptions } from "./listening-server.js";
