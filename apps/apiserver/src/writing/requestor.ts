import type { Json, JsonObject } from '#libs/kernel';
import { isObject } from '#libs/kernel';
import type { ResourceKind } from '#libs/kube-api';
import type { User } from '#libs/kube-api';

/** What a certificate request says of whoever sent it. */
const identity = ['username', 'uid', 'groups', 'extra'];

/** Certificate requests carry who asks: the sender of the request, whatever the body says. Bodies of other kinds stay as they are. */
export function withRequestor<T>(kind: ResourceKind, body: T, user: User): T {
  if (kind.groupResource !== 'certificatesigningrequests.certificates.k8s.io' || !isObject(body as Json)) return body;
  const { spec } = body as unknown as { spec?: Json };
  const asked: JsonObject = isObject(spec) ? { ...spec } : {};
  for (const field of identity) delete asked[field];
  asked['username'] = user.name;
  if (user.uid !== undefined) asked['uid'] = user.uid;
  asked['groups'] = [...user.groups];
  return { ...body, spec: asked };
}
