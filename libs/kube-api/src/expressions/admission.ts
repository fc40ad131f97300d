import { authorizerType, DeclaredType, dynType, Environment, objectType, resourceCheckType, type Type, type Variable } from '#libs/cel';
import { checkOnly, compileAs, type CompiledAs } from './compile-as';
import { anything, list, map, object, text, time, truth, whole } from './declared';
import { expressionFunctions } from './functions';

const groupVersionKind = object('kubernetes.GroupVersionKind', { group: text, version: text, kind: text });
const groupVersionResource = object('kubernetes.GroupVersionResource', { group: text, version: text, resource: text });
const userInfo = object('kubernetes.UserInfo', { username: text, uid: text, groups: list(text), extra: map(list(text)) });

/** `request`, in expressions of admission (k8s.io/apiserver, `admission/plugin/cel/compile.go`). */
const request = object('kubernetes.AdmissionRequest', {
  kind: groupVersionKind,
  resource: groupVersionResource,
  subResource: text,
  requestKind: groupVersionKind,
  requestResource: groupVersionResource,
  requestSubResource: text,
  name: text,
  namespace: text,
  operation: text,
  userInfo,
  dryRun: truth,
  options: anything,
});

const condition = object('kubernetes.NamespaceCondition', {
  status: text,
  type: text,
  lastTransitionTime: time,
  message: text,
  reason: text,
});

/** `namespaceObject` */
const namespace = object('kubernetes.Namespace', {
  metadata: object('kubernetes.NamespaceMetadata', {
    name: text,
    generateName: text,
    namespace: text,
    labels: map(text),
    annotations: map(text),
    UID: text,
    creationTimestamp: time,
    deletionGracePeriodSeconds: whole,
    deletionTimestamp: time,
    generation: whole,
    resourceVersion: text,
    finalizers: list(text),
  }),
  spec: object('kubernetes.NamespaceSpec', { finalizers: list(text) }),
  status: object('kubernetes.NamespaceStatus', { conditions: list(condition), phase: text }),
});

export interface AdmissionVariables {
  hasParams: boolean;
  hasAuthorizer: boolean;
}

/** Types that expressions are checked against, where it is known what the objects are. */
export interface AdmissionTypes {
  readonly object: DeclaredType;
  readonly params?: DeclaredType;
}

/** Expressions of one policy: those of its variables are known to the later ones. */
export class AdmissionExpressions {
  private readonly composed = new Map<string, DeclaredType>();

  /**
   * @param hasVariables the expressions may name `variables`
   * @param types absent: objects and parameters may be anything
   */
  constructor(
    private readonly hasVariables = false,
    private readonly types?: AdmissionTypes,
  ) {}

  /** What is wrong with an expression whatever it evaluates to. */
  check(expression: string, variables: AdmissionVariables): string | undefined {
    return checkOnly(expression, this.environment(variables));
  }

  /** Compiles the expression of a variable; the later ones know its type. */
  addVariable(name: string, expression: string, variables: AdmissionVariables): CompiledAs {
    const compiled = compileAs(expression, this.environment(variables), () => true, String);
    this.composed.set(name, new DeclaredType(compiled.expression?.type ?? dynType, 0, 1));
    return compiled;
  }

  /** Compiles an expression that has to be of one of some kinds. */
  compile(expression: string, kinds: readonly Type[], variables: AdmissionVariables): CompiledAs {
    const names = kinds.map(({ name }) => name);
    const wanted = names.length === 1 ? names[0] : `one of [${names.join(' ')}]`;
    return compileAs(
      expression,
      this.environment(variables),
      ({ kind }) => kinds.some((type) => type.kind === kind),
      (type) => `must evaluate to ${wanted as string} but got ${type}`,
    );
  }

  private environment({ hasParams, hasAuthorizer }: AdmissionVariables): Environment {
    const { types } = this;
    const typed = (declared: DeclaredType | undefined): Variable => (declared ? { type: declared.type, declared } : { type: dynType });
    const variables = new Map<string, Variable>([
      ['object', typed(types?.object)],
      ['oldObject', typed(types?.object)],
      ['namespaceObject', { type: namespace.type, declared: namespace }],
      ['request', { type: request.type, declared: request }],
    ]);
    if (hasParams) variables.set('params', typed(types?.params));
    if (hasAuthorizer) {
      variables.set('authorizer', { type: authorizerType });
      // Upstream's check of types does not know of it.
      if (!types) variables.set('authorizer.requestResource', { type: resourceCheckType });
    }
    if (this.hasVariables) {
      const type = objectType('kubernetes.variables');
      variables.set('variables', { type, declared: new DeclaredType(type, 0, 2, new Map(this.composed)) });
    }
    return new Environment(expressionFunctions(), variables);
  }
}
