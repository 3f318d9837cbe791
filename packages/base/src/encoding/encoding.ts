/** Bytes and their texts. */

const decoder = new TextDecoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const utf16Decoder = new TextDecoder("utf-16le", { ignoreBOM: true });
const encoder = new TextEncoder();

/** UTF-8 bytes as text; what is not UTF-8 becomes U+FFFD. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** UTF-8 bytes as text; undefined for what is not UTF-8. */
export function decodeUtf8Strictly(bytes: Uint8Array): string | undefined {
  try {
    return strictDecoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Units of UTF-16 as text; halves of characters become U+FFFD. */
export function decodeUtf16(units: Uint16Array): string {
  return utf16Decoder.decode(units);
}

export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Standard base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let i = 0; i < bytes.length; i += 8192) binary += String.fromCharCode(...bytes.subarray(i, i + 8192));
  return btoa(binary);
}

/** The bytes of standard base64, white space ignored; undefined for anything else. */
export function decodeBase64(text: string): Uint8Array | undefined {
  try {
    const binary = atob(text.replace(/\s+/g, ""));
    const bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
  } catch {
    return undefined;
  }
}
