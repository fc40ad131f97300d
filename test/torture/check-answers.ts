import type { Life, Version } from './history';
import { markAnnotation, type Operation } from './recorded-operation';
import { Windows, type Window } from './windows';

export interface CheckOptions {
  /** The server was in trouble for a while: then a 5xx is an answer, and says nothing of what was done. */
  troubled?: boolean;
}

/** Every answer and every change, held against each other: what is returned are the contradictions, one line each. */
export function contradictions(
  operations: readonly Operation[],
  lives: ReadonlyMap<string, readonly Life[]>,
  options: CheckOptions = {},
): string[] {
  const windows = new Windows(operations);
  const byKey = new Map<string, Operation[]>();
  for (const operation of operations) byKey.set(operation.key, [...(byKey.get(operation.key) ?? []), operation]);
  const found: string[] = [];
  for (const [key, ofKey] of byKey) {
    const checked = new ObjectCheck(lives.get(key) ?? [], ofKey, windows, options);
    for (const problem of checked.problems()) found.push(`${key}: ${problem}`);
  }
  return found;
}

/**
 * The answers about one object against its history. An answer is true when there is a moment between the request's sending and
 * its answer, in the order of versions, at which it fits; a change is explained when a request that did not fail may have made it.
 */
class ObjectCheck {
  constructor(
    private readonly lives: readonly Life[],
    private readonly operations: readonly Operation[],
    private readonly windows: Windows,
    private readonly options: CheckOptions,
  ) {}

  *problems(): Generator<string> {
    for (const operation of this.operations) {
      const problem = this.answerProblem(operation, this.windows.of(operation));
      if (problem) yield `${operation.verb} answered ${operation.code}, but ${problem} (request ${operation.mark})`;
    }
    for (const life of this.lives) yield* this.lifeProblems(life);
  }

  private answerProblem(operation: Operation, window: Window): string | undefined {
    const { verb, code } = operation;
    if (code === 0) return undefined;
    if (code >= 500 && this.options.troubled) return undefined;
    if (code >= 500) return `a server that runs does not say so: ${operation.body?.message}`;
    if (code >= 400 && (verb === 'patch' || verb === 'create') && this.carriers(operation).length > 0) return 'it was done all the same';
    if (code === 404) return this.absentIn(window) ? undefined : 'the object was there all the time';
    if (code === 409 && verb === 'create') return this.versionsIn(window).length > 0 ? undefined : 'there was no such object';
    if (code === 409 && verb === 'patch') return this.versionsIn(window).length > 1 ? undefined : 'nobody else wrote meanwhile';
    if (code === 422) return this.versionsIn(window).some(isMarked) ? undefined : 'the object was not being deleted';
    if (verb === 'delete') return this.deleteProblem(operation, window);
    return this.objectProblem(operation, window);
  }

  /** A 200 or 201 with an object: it is a version of the history, and of its time. */
  private objectProblem({ verb, code, body, mark, finalizers }: Operation, window: Window): string | undefined {
    if (code !== (verb === 'create' ? 201 : 200)) return `nothing of the kind was expected: ${JSON.stringify(body).slice(0, 200)}`;
    const from = Number(body.metadata.resourceVersion);
    const life = this.lives.find(({ uid }) => uid === body.metadata.uid);
    const version = life?.versions.find((one) => one.from === from);
    if (!life || !version) return `version ${from} is none of the object's`;
    if (verb === 'get') {
      if (!sameObject(body, version.object)) return `version ${from} reads differently`;
      return version.from < window.before && version.until > window.after ? undefined : `version ${from} is of another time`;
    }
    if (verb === 'patch' && version.object.metadata.annotations?.[markAnnotation] !== mark) {
      // The patch that took the last finalizer away made no version: it is the deletion, and answers as of the version before.
      const ended = finalizers?.length === 0 && version.until === life.deletedAt && within(life.deletedAt, window);
      return ended ? undefined : `version ${from} does not have what it wrote`;
    }
    if (!sameObject(body, version.object)) return `version ${from} reads differently`;
    return within(from, window) ? undefined : `version ${from} is of another time`;
  }

  /** A 200 to a delete: the object was being deleted, or it was gone by it. */
  private deleteProblem({ body, code }: Operation, window: Window): string | undefined {
    if (code !== 200 && code !== 202) return `nothing of the kind was expected: ${JSON.stringify(body).slice(0, 200)}`;
    const uid = body.kind === 'Status' ? body.details?.uid : body.metadata?.uid;
    const life = this.lives.find((one) => one.uid === uid);
    if (!life) return `no object with uid ${uid} ever lived`;
    if (body.kind === 'Status') return within(life.deletedAt, window) ? undefined : `it was not gone then (deleted at ${life.deletedAt})`;
    const from = Number(body.metadata.resourceVersion);
    if (!body.metadata.deletionTimestamp && from !== life.deletedAt) return 'the object is shown as not being deleted';
    if (from === life.deletedAt) return within(from, window) ? undefined : `the deletion at ${from} is of another time`;
    const version = life.versions.find((one) => one.from === from);
    if (!version || !isMarked(version)) return `version ${from} is none in which the object was being deleted`;
    return version.from < window.before && version.until > window.after ? undefined : `version ${from} is of another time`;
  }

  private *lifeProblems(life: Life): Generator<string> {
    const marked = life.versions.find(isMarked);
    const begun = marked?.from ?? life.deletedAt;
    if (begun !== Infinity && !this.doneBy(begun, ({ verb }) => verb === 'delete')) {
      yield `${marked ? 'marked for deletion' : 'gone'} at ${begun}, though no delete that succeeded can have done it`;
    }
    if (life.deletedAt === Infinity) return;
    const before = (life.versions[life.versions.length - 1] as Version).object;
    const held = before.metadata.finalizers ?? [];
    if (held.length > 0 && !this.doneBy(life.deletedAt, ({ verb, finalizers }) => verb === 'patch' && finalizers?.length === 0)) {
      yield `gone at ${life.deletedAt}, though held by ${held.join(', ')}`;
    }
    const bound = life.versions.find(({ object }) => object.spec?.nodeName && object.status?.phase !== 'Succeeded');
    if (bound && bound.from < begun) {
      if (!marked) yield `gone at ${life.deletedAt}, though bound with a grace that never began`;
      else if (!marked.object.metadata.deletionGracePeriodSeconds) yield `marked at ${begun} without grace, though bound at ${bound.from}`;
    }
  }

  private doneBy(version: number, could: (operation: Operation) => boolean): boolean {
    return this.operations.some((operation) => {
      const { code } = operation;
      const succeeded = code === 0 || (code >= 200 && code < 300) || code >= 500;
      return succeeded && could(operation) && within(version, this.windows.of(operation));
    });
  }

  private carriers({ mark }: Operation): Version[] {
    return this.lives.flatMap(({ versions }) => versions.filter(({ object }) => object.metadata.annotations?.[markAnnotation] === mark));
  }

  private versionsIn({ after, before }: Window): Version[] {
    return this.lives.flatMap(({ versions }) => versions.filter(({ from, until }) => from < before && until > after));
  }

  /** Whether there is a moment in the window at which the object does not live. */
  private absentIn({ after, before }: Window): boolean {
    let gone = 0;
    for (const { versions, deletedAt } of this.lives) {
      const created = (versions[0] as Version).from;
      if (gone < before && created > after && created > gone) return true;
      gone = deletedAt;
    }
    return gone < before;
  }
}

function isMarked({ object }: Version): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

function within(version: number, { after, before }: Window): boolean {
  return version > after && version < before;
}

function sameObject(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  );
}
