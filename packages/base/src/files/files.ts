/**
 * The disk as an interface. Storage, caches and charts see only this, so a test can crash between any two operations.
 * Paths are absolute. Errors are FairleadError with code `FileNotFound`, `FileExists`, `PermissionDenied`, `DiskFull`
 * or `IoError`, and name the path.
 */
export interface Files {
  read(path: string): Promise<Uint8Array>;
  /** Creates or replaces; not atomic and not durable by itself. */
  write(path: string, data: Uint8Array | string, mode?: number): Promise<void>;
  /** Opens for appending, creating the file with `mode` (0600 by default). */
  openAppend(path: string, mode?: number): Promise<AppendFile>;
  /** Replaces `to` atomically. Durable after `syncDirectory` of the parent. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file or a whole folder; absence is no error. */
  remove(path: string): Promise<void>;
  makeDirectory(path: string, mode?: number): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  /** Names in a folder, sorted by code unit. */
  list(path: string): Promise<readonly FileEntry[]>;
  exists(path: string): Promise<boolean>;
  truncate(path: string, length: number): Promise<void>;
}

export interface FileEntry {
  readonly name: string;
  readonly kind: "file" | "directory" | "other";
}

export interface AppendFile {
  append(data: Uint8Array): Promise<void>;
  /** Resolves when everything appended before is durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}
