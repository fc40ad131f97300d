import type { GroupResource } from '#libs/kernel';
import { schemaData, schemaOf } from '../schema';
import { admissionKinds } from './admissionregistration';
import { apiextensionsKinds } from './apiextensions';
import { apiregistrationKinds } from './apiregistration';
import { appsKinds } from './apps';
import { autoscalingKinds } from './autoscaling';
import { batchKinds } from './batch';
import type { KindDescription } from './behaviour';
import { KindCatalogue } from './catalogue';
import { certificatesKinds } from './certificates';
import { coordinationKinds } from './coordination';
import { coreKinds } from './core';
import { defineKind } from './define-kind';
import { discoveryKinds } from './discovery';
import { eventsKinds } from './events';
import { flowcontrolKinds } from './flowcontrol';
import { groupResourceOf } from './names';
import { networkingKinds } from './networking';
import { nodeKinds } from './node';
import { policyKinds } from './policy';
import { rbacKinds } from './rbac';
import { reviewKinds } from './reviews';
import { resourceKinds } from './resource';
import { schedulingKinds } from './scheduling';
import { storageKinds } from './storage';

const descriptions = new Map<GroupResource, KindDescription>(
  [
    ...coreKinds,
    ...admissionKinds,
    ...apiextensionsKinds,
    ...apiregistrationKinds,
    ...appsKinds,
    ...autoscalingKinds,
    ...batchKinds,
    ...certificatesKinds,
    ...coordinationKinds,
    ...discoveryKinds,
    ...eventsKinds,
    ...flowcontrolKinds,
    ...networkingKinds,
    ...nodeKinds,
    ...policyKinds,
    ...rbacKinds,
    ...resourceKinds,
    ...reviewKinds,
    ...schedulingKinds,
    ...storageKinds,
  ].map((description) => [description.name, description]),
);

/** Every kind of the recorded release, in the order of discovery. */
function kindsOfRelease() {
  return schemaData.resources.map((facts) => {
    const name = groupResourceOf(facts.group, facts.resource);
    return defineKind(facts, descriptions.get(name) ?? { name }, schemaOf);
  });
}

/** What every cluster begins with. Nothing is added to this one: a cluster with kinds of its own has a catalogue of its own. */
export const releaseKinds = new KindCatalogue(kindsOfRelease(), schemaOf);

/** A catalogue that begins with the kinds of the release. */
export function newKindCatalogue(): KindCatalogue {
  return new KindCatalogue(releaseKinds.all, schemaOf);
}

/** The kinds of a cluster: its own catalogue, and until it has one that of the release. */
export function kindsOf(cluster: { readonly kinds?: KindCatalogue }): KindCatalogue {
  return cluster.kinds ?? releaseKinds;
}
