import type { JsonObject } from '#libs/kernel';
import { callerAuthorizer, type Access, type Caller, type User, type UserInfo } from '#libs/kube-api';
import type { Query } from '../request-info/query';

/** Who sends a request, as webhooks and policies see him. Its options are read only when somebody looks at them. */
export class RequestCaller implements Caller {
  readonly user: UserInfo;

  constructor(
    private readonly asking: User,
    private readonly access: Access,
    private readonly query: Query,
  ) {
    const { name, uid, groups, extra } = asking;
    this.user = { username: name, ...(uid === undefined ? {} : { uid }), groups, ...(extra ? { extra } : {}) };
  }

  get authorize(): Caller['authorize'] {
    return callerAuthorizer(this.asking, this.access);
  }

  get options(): JsonObject {
    const { query } = this;
    const dryRun = query.all('dryRun');
    const text = (name: string): JsonObject => (query.text(name) === '' ? {} : { [name]: query.text(name) });
    return { ...(dryRun.length > 0 ? { dryRun: [...dryRun] } : {}), ...text('fieldManager'), ...text('fieldValidation') };
  }
}
