// Compares the roles and bindings that an empty cluster has with those of a real one: bootstrap.json.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Difference, SessionResult, StepResult } from '../play-result';
import { Bindings } from '../api/compare/bindings';
import { compareValue } from '../api/compare/values';
import { parse } from '../api/compare/response';
import type { Client } from '../api/play/client';

interface Named {
  kind?: string;
  apiVersion?: string;
  metadata: {
    name: string;
    namespace?: string;
    managedFields?: unknown;
    uid?: string;
    resourceVersion?: string;
    creationTimestamp?: string;
  };
}

/** Milliseconds in which a new cluster has its roles, the aggregated ones filled. */
const patience = 5_000;
const pollEvery = 50;
const keyOf = ({ metadata }: Named): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** A step is an object; one more for a resource whose objects are not the same ones. */
export async function playBootstrap(dir: string, client: Client): Promise<SessionResult> {
  const began = Date.now();
  const recorded = JSON.parse(readFileSync(join(dir, 'bootstrap.json'), 'utf8')) as Record<string, { items: Named[] } | Named[]>;
  const steps: StepResult[] = [];
  const deadline = began + patience;
  for (const [resource, list] of Object.entries(recorded)) {
    const theirs = Array.isArray(list) ? list : list.items;
    let compared = await compareResource(client, resource, theirs);
    while (compared.some(({ differences }) => differences.length > 0) && Date.now() < deadline) {
      await sleep(pollEvery);
      compared = await compareResource(client, resource, theirs);
    }
    steps.push(...compared);
  }
  return { session: 'bootstrap', total: steps.length, steps, seconds: (Date.now() - began) / 1000 };
}

async function compareResource(client: Client, resource: string, theirs: readonly Named[]): Promise<StepResult[]> {
  const answer = await client.send({ method: 'GET', path: `/apis/rbac.authorization.k8s.io/v1/${resource}` });
  const { items = [] } = (parse(answer.body.toString()) ?? {}) as { items?: Named[] };
  const ours = new Map(items.map((object) => [keyOf(object), bare(object)]));
  const unknown = items.map(keyOf).filter((key) => !theirs.some((object) => keyOf(object) === key));
  const names = unknown.length === 0 ? [] : [{ path: resource, text: `unexpected: ${unknown.join(', ')}` }];
  return [
    ...theirs.map((object) => ({
      step: `${resource} ${keyOf(object)}`,
      differences: compareObject(bare(object), ours.get(keyOf(object))),
    })),
    { step: `${resource}: no others`, differences: names },
  ];
}

/** What every server says differently. */
function bare({ metadata, kind: _, apiVersion: __, ...rest }: Named): object {
  const { managedFields: _fields, uid: _uid, resourceVersion: _version, creationTimestamp: _time, ...told } = metadata;
  return { metadata: told, ...rest };
}

function compareObject(theirs: object, ours: object | undefined): Difference[] {
  if (ours === undefined) return [{ path: '', text: 'missing' }];
  const differences: Difference[] = [];
  const header = { session: 'bootstrap', title: '', area: 'rbac', server: '', runs: '' };
  compareValue({ bindings: new Bindings(), startedAt: 0, now: () => 0, header, differences }, theirs, ours, '');
  return differences;
}
