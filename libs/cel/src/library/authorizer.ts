import { define, member, type FunctionDecl } from '../types/functions';
import { boolType, objectType, stringType } from '../types/type';
import { EvaluationError, ExtensionValue } from '../values/value';

export const authorizerType = objectType('kubernetes.authorization.Authorizer');
const pathCheckType = objectType('kubernetes.authorization.PathCheck');
const groupCheckType = objectType('kubernetes.authorization.GroupCheck');
export const resourceCheckType = objectType('kubernetes.authorization.ResourceCheck');
const decisionType = objectType('kubernetes.authorization.Decision');

/** What an expression asks: whether somebody may do something. Of whoever sent the request, unless a service account is named. */
export interface AuthorizationQuestion {
  verb: string;
  serviceAccount?: { namespace: string; name: string };
  path?: string;
  group?: string;
  resource?: string;
  subresource?: string;
  namespace?: string;
  name?: string;
  fieldSelector?: string;
  labelSelector?: string;
}

export interface AuthorizationAnswer {
  allowed: boolean;
  reason: string;
  /** The authorizer could not say. */
  error?: string;
}

/** Whether something is allowed. */
export type Authorize = (question: AuthorizationQuestion) => AuthorizationAnswer;

type Asked = Omit<AuthorizationQuestion, 'verb'>;

abstract class Question extends ExtensionValue {
  constructor(
    readonly authorize: Authorize,
    readonly asked: Asked,
  ) {
    super();
  }
  equals(other: Question): boolean {
    return this === other;
  }
}

/** `authorizer`, in expressions. */
export class AuthorizerValue extends Question {
  readonly type = authorizerType;
}
class PathCheck extends Question {
  readonly type = pathCheckType;
}
class GroupCheck extends Question {
  readonly type = groupCheckType;
}
/** `authorizer.requestResource`, and what `authorizer.group('').resource('pods')` makes. */
export class ResourceCheck extends Question {
  readonly type = resourceCheckType;
}

class Decision extends ExtensionValue {
  readonly type = decisionType;
  constructor(readonly answer: AuthorizationAnswer) {
    super();
  }
  equals(other: Decision): boolean {
    return this === other;
  }
}

/** Another question that asks for more. */
const narrowed =
  <T extends Question>(make: new (authorize: Authorize, asked: Asked) => T, name: keyof Asked) =>
  (from: Question, value: string): T =>
    new make(from.authorize, { ...from.asked, [name]: value });

const check = ({ authorize, asked }: Question, verb: string): Decision => new Decision(authorize({ ...asked, verb }));

const path = (from: AuthorizerValue, asked: string): PathCheck => {
  if (asked === '') throw new EvaluationError('path must not be empty');
  return narrowed(PathCheck, 'path')(from, asked);
};

const serviceAccount = (from: AuthorizerValue, namespace: string, name: string): AuthorizerValue => {
  const label = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/;
  if (!label.test(namespace)) throw new EvaluationError('Invalid service account namespace');
  if (!label.test(name)) throw new EvaluationError('Invalid service account name');
  return new AuthorizerValue(from.authorize, { ...from.asked, serviceAccount: { namespace, name } });
};

const onResource = (name: 'subresource' | 'namespace' | 'name' | 'fieldSelector' | 'labelSelector', id: string): FunctionDecl =>
  define(name, member(id, [resourceCheckType, stringType], resourceCheckType, narrowed(ResourceCheck, name)));

export const authorizerFunctions: readonly FunctionDecl[] = [
  define('path', member('authorizer_path', [authorizerType, stringType], pathCheckType, path)),
  define('group', member('authorizer_group', [authorizerType, stringType], groupCheckType, narrowed(GroupCheck, 'group'))),
  define('serviceAccount', member('authorizer_serviceaccount', [authorizerType, stringType, stringType], authorizerType, serviceAccount)),
  define('resource', member('groupcheck_resource', [groupCheckType, stringType], resourceCheckType, narrowed(ResourceCheck, 'resource'))),
  onResource('subresource', 'resourcecheck_subresource'),
  onResource('namespace', 'resourcecheck_namespace'),
  onResource('name', 'resourcecheck_name'),
  onResource('fieldSelector', 'authorizer_fieldselector'),
  onResource('labelSelector', 'authorizer_labelselector'),
  define(
    'check',
    member('pathcheck_check', [pathCheckType, stringType], decisionType, check),
    member('resourcecheck_check', [resourceCheckType, stringType], decisionType, check),
  ),
  define(
    'errored',
    member('decision_errored', [decisionType], boolType, ({ answer }: Decision) => answer.error !== undefined),
  ),
  define(
    'error',
    member('decision_error', [decisionType], stringType, ({ answer }: Decision) => answer.error ?? ''),
  ),
  define(
    'allowed',
    member('decision_allowed', [decisionType], boolType, ({ answer }: Decision) => answer.allowed),
  ),
  define(
    'reason',
    member('decision_reason', [decisionType], stringType, ({ answer }: Decision) => answer.reason),
  ),
];
