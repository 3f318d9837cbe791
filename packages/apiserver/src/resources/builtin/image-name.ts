// Image references (distribution/reference): `[domain/]path[:tag][@digest]`.
const COMPONENT = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const DOMAIN_COMPONENT = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const DOMAIN = `(?:${DOMAIN_COMPONENT}(?:\\.${DOMAIN_COMPONENT})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const REFERENCE = new RegExp(
  `^(?:${DOMAIN}/)?${COMPONENT}(?:/${COMPONENT})*(?::([\\w][\\w.-]{0,127}))?(@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
);

/** The tag of an image: `latest` where there is neither tag nor digest, `""` where there is only a digest or no sense in it. */
export function imageTag(image: string): string {
  const match = REFERENCE.exec(image);
  if (match === null || tooLong(image)) return "";
  return match[1] ?? (match[2] === undefined ? "latest" : "");
}

const LONGEST = 255;

/** Names have a limit, with the domain and the folder that stand before names without a domain. */
function tooLong(image: string): boolean {
  const name = image.replace(/@.*$/, "").replace(/:[^:/]*$/, "");
  const [first = "", ...rest] = name.split("/");
  const hasDomain = rest.length > 0 && (/[.:]/.test(first) || first === "localhost" || /[A-Z]/.test(first));
  const prefix = hasDomain ? "" : rest.length > 0 ? "docker.io/" : "docker.io/library/";
  return prefix.length + name.length > LONGEST;
}
