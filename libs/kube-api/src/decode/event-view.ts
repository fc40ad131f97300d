import type { JsonObject, KubeObject } from '#libs/kernel';
import { definition } from '../schema';
import { toWireForm } from './wire-form';

/** Fields of the same event under `v1` and under `events.k8s.io/v1`; the rest has one name. */
const names: readonly (readonly [core: string, view: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];
const toView = new Map(names);
const toCore = new Map(names.map(([core, view]) => [view, core]));

function renamed({ kind: _kind, apiVersion: _version, ...object }: KubeObject, map: ReadonlyMap<string, string>): KubeObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(object)) out[map.get(key) ?? key] = value as never;
  return out as unknown as KubeObject;
}

/** A stored (core) event as `events.k8s.io/v1` shows it. */
export function eventsViewOf(event: KubeObject): KubeObject {
  return toWireForm(definition('events.v1.Event'), renamed(event, toView));
}

/** An `events.k8s.io/v1` event as it is stored. */
export function coreEventOf(event: KubeObject): KubeObject {
  return toWireForm(definition('core.v1.Event'), renamed(event, toCore));
}
