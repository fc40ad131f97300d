import { goQuote } from '#libs/kube-api';

const alphanumeric = '[a-z0-9]+';
const separator = '(?:[._]|__|[-]+)';
const pathPart = `${alphanumeric}(?:${separator}${alphanumeric})*`;
const label = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const host = `(?:${label}(?:\\.${label})*|\\[(?:[a-fA-F0-9:]+)\\])`;
const nameGrammar = `(?:${host}(?::[0-9]+)?/)?${pathPart}(?:/${pathPart})*`;
const tagGrammar = '[\\w][\\w.-]{0,127}';
const digestGrammar = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const referenceGrammar = new RegExp(`^(${nameGrammar})(?::(${tagGrammar}))?(?:@(${digestGrammar}))?$`);
const identifier = /^[a-f0-9]{64}$/;
const nameLengthMax = 255;

/** Why an image's name cannot be read, in the kubelet's words; undefined: it can. Grammar of the distribution project's references. */
export function imageNameError(image: string): string | undefined {
  const why = whyUnreadable(image);
  if (why === undefined) return undefined;
  return `Failed to apply default image tag ${goQuote(image)}: couldn't parse image name ${goQuote(image)}: ${why}`;
}

function whyUnreadable(image: string): string | undefined {
  if (identifier.test(image)) return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`;
  const { domain, rest } = withDomain(image);
  const [path = ''] = rest.split(':', 1);
  if (path.toLowerCase() !== path) return `invalid reference format: repository name (${path}) must be lowercase`;
  const match = referenceGrammar.exec(`${domain}/${rest}`);
  if (!match) return 'invalid reference format';
  return rest.length > nameLengthMax && path.length > nameLengthMax
    ? `repository name must not be more than ${nameLengthMax} characters`
    : undefined;
}

/** What stands before the first slash is a registry when it looks like a host; else the name is one of Docker Hub's. */
function withDomain(image: string): { domain: string; rest: string } {
  const slash = image.indexOf('/');
  const first = slash < 0 ? '' : image.slice(0, slash);
  const isHost = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  const domain = isHost && first !== 'index.docker.io' ? first : 'docker.io';
  const rest = isHost ? image.slice(slash + 1) : image;
  return { domain, rest: domain === 'docker.io' && !rest.includes('/') ? `library/${rest}` : rest };
}
