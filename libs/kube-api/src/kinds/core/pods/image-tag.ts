const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const host = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = `(?:${host}(?:\\.${host})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const reference = new RegExp(
  `^(?:(?:${domain})/)?${component}(?:/${component})*(:[\\w][\\w.-]{0,127})?(@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
);

/** Characters of the path of a repository. */
const pathMax = 255;

/** Path and tag of a reference without its registry. What has but one part is one of the library of the default registry. */
function pathOf(image: string): string {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(slash, 0));
  const isRegistry = first === 'localhost' || /[.:]/.test(first) || first.toLowerCase() !== first;
  const rest = isRegistry ? image.slice(slash + 1) : image;
  const path = rest.replace(/[:@].*$/s, '');
  return path.includes('/') || (isRegistry && !/^(index\.)?docker\.io$/.test(first)) ? path : `library/${path}`;
}

/**
 * The pull policy of an image that names none: Always for the tag `latest`, given or implied; IfNotPresent for other tags, for
 * digests, and for what is no image reference.
 */
export function defaultPullPolicy(image: unknown): 'Always' | 'IfNotPresent' {
  const match = typeof image === 'string' ? reference.exec(image) : null;
  if (!match || /^[a-f0-9]{64}$/.test(image as string) || pathOf(image as string).length > pathMax) return 'IfNotPresent';
  const [, tag, digest] = match;
  const implied = tag === undefined && digest === undefined;
  return implied || tag === ':latest' ? 'Always' : 'IfNotPresent';
}
