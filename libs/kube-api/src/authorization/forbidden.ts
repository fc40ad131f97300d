import { groupResourceOf } from '../kinds';
import { forbiddenPath, forbiddenRequest, goQuote, type Failure } from '../status';
import { isOfResource, type Attributes } from './attributes';

const markup: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Nothing that a browser could take for a page. Quotes are well. */
export function withoutMarkup(text: string): string {
  return text.replace(/[&<>]/g, (sign) => markup[sign] as string);
}

/** The 403 of what nobody allowed (upstream `responsewriters.ForbiddenStatusError`). */
export function forbiddenBy(attributes: Attributes, reason: string): Failure {
  const text = withoutMarkup(sentence(attributes));
  const told = reason === '' ? text : `${text}: ${reason}`;
  if (!isOfResource(attributes)) return forbiddenPath(told);
  return forbiddenRequest(groupResourceOf(attributes.group, attributes.resource), attributes.name, told);
}

function sentence(attributes: Attributes): string {
  const { user, verb } = attributes;
  if (!isOfResource(attributes)) return `User ${goQuote(user.name)} cannot ${verb} path ${goQuote(attributes.path)}`;
  const { group, resource, subresource, namespace } = attributes;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${goQuote(namespace)}`;
  return `User ${goQuote(user.name)} cannot ${verb} resource ${goQuote(full)} in API group ${goQuote(group)} ${scope}`;
}
