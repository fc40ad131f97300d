import { metadataText, objectText, type JsonObject, type KubeObject, type ObjectMeta } from '#libs/kernel';
import { inItsVersion, shownAs, type ConversionCall, type ResourceKind } from '#libs/kube-api';

const views = new WeakMap<ResourceKind, WeakMap<KubeObject, KubeObject>>();

/** The object as this version of its kind shows it; the same one for the same object. */
export function viewOf(kind: ResourceKind, object: KubeObject): KubeObject {
  if (!kind.conversion && !kind.shown) return object;
  const known = viewsIn(kind);
  let view = known.get(object);
  if (!view) {
    const shown = shownAs(kind, inItsVersion(kind, object));
    known.set(object, (view = kind.form ? named(kind, shown) : shown));
  }
  return view;
}

function viewsIn(kind: ResourceKind): WeakMap<KubeObject, KubeObject> {
  let known = views.get(kind);
  if (!known) views.set(kind, (known = new WeakMap()));
  return known;
}

/** What a webhook has to be asked before the object can be shown; undefined where it need not. @throws ConversionFailed */
export function neededFor(kind: ResourceKind, object: KubeObject): ConversionCall | undefined {
  const webhook = kind.form?.webhook;
  return webhook && !viewsIn(kind).has(object) ? webhook.callFor(inItsVersion(kind, object)) : undefined;
}

/** From now on the object is shown as the webhook has it. */
export function showAs(kind: ResourceKind, object: KubeObject, answer: JsonObject): void {
  const { webhook } = kind.form ?? {};
  if (webhook) viewsIn(kind).set(object, named(kind, webhook.converted(object, answer)));
}

/** Objects of custom kinds are maps: they say everywhere what they are, and their fields come in the order of their names. */
function named({ kind, apiVersion }: ResourceKind, object: KubeObject): KubeObject {
  const whole: Record<string, unknown> = { ...object, kind, apiVersion };
  return Object.fromEntries(
    Object.keys(whole)
      .sort()
      .map((key) => [key, whole[key]]),
  ) as unknown as KubeObject;
}

/** As an item of a list: these carry neither kind nor apiVersion, but for those of custom kinds. */
export function itemJson(kind: ResourceKind, object: KubeObject): string {
  return objectText(viewOf(kind, object));
}

/** As an answer of its own: kind and apiVersion first. */
export function objectJson(kind: ResourceKind, object: KubeObject): string {
  return kind.form ? itemJson(kind, object) : withKind(kind.kind, kind.apiVersion, itemJson(kind, object));
}

function withKind(kind: string, apiVersion: string, body: string): string {
  return `{"kind":"${kind}","apiVersion":"${apiVersion}",${body.slice(1)}`;
}

const metadataBodies = new WeakMap<object, string>();

/** The metadata alone, as `PartialObjectMetadata`: that of the object as it is stored, which no version has added to; a webhook may have. */
export function partialJson(kind: ResourceKind, object: KubeObject, version: string): string {
  const { metadata } = kind.form?.webhook ? viewOf(kind, object) : object;
  let body = metadataBodies.get(metadata);
  if (body === undefined) metadataBodies.set(metadata, (body = `{"metadata":${metadataText(unversioned(kind, metadata))}}`));
  return withKind('PartialObjectMetadata', `meta.k8s.io/${version}`, body);
}

/** Without the annotations that only the served version's form of the object has. */
function unversioned({ strategy }: ResourceKind, metadata: ObjectMeta): ObjectMeta {
  const { versionedAnnotations = [] } = strategy;
  if (!metadata.annotations || !versionedAnnotations.some((key) => key in (metadata.annotations as object))) return metadata;
  const kept = Object.entries(metadata.annotations).filter(([key]) => !versionedAnnotations.includes(key));
  return { ...metadata, annotations: kept.length > 0 ? Object.fromEntries(kept) : undefined };
}
