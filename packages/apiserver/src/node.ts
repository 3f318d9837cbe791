export {
  certificateAuthority,
  clientCertificate,
  serverCertificate,
  type CertificateOptions,
  type KeyPair,
} from "./auth/certificates/certificates.js";
export {
  restoreDataDirectory,
  snapshotDataDirectory,
  startListeningServer,
  type ListeningServer,
  type ListeningServerOptions,
} from "./listening-server.js";
export type { BackupReport } from "./storage/backup.js";
