import type { Words } from './words';

/** What objects of all kinds have. */
export const metadataWords: Words = {
  'meta.v1.ObjectMeta': {
    '': 'What the API keeps about every object.',
    annotations: 'Keys and values that nothing selects by; tools keep what they like in them.',
    creationTimestamp: 'When the object was created.',
    deletionGracePeriodSeconds: 'How long the object may take to go after its deletion was asked for.',
    deletionTimestamp: 'When the object was, or will be, asked to be gone for good.',
    finalizers: 'As long as there are any the object is not gone after it was deleted.',
    generateName: 'The beginning of a name that the server completes, where no name is given.',
    generation: 'Counts the changes of the spec.',
    labels: 'Keys and values that objects are selected by.',
    managedFields: 'Which fields were last set by whom; server-side apply goes by it.',
    name: 'Unique among the objects of a kind in a namespace; it cannot be changed.',
    namespace: 'The namespace that the object is in; absent for kinds of the whole cluster.',
    ownerReferences: 'Objects that this one belongs to; when all are gone it is deleted.',
    resourceVersion: 'The position in the event stream of the last change of the object.',
    selfLink: 'No longer used.',
    uid: 'Unique for all time: a new object of the same name has another one.',
  },
  'meta.v1.OwnerReference': {
    '': 'An object that another one belongs to, in the same namespace or in none.',
    blockOwnerDeletion: 'Whether the owner, deleted in the foreground, waits until this object is gone.',
    controller: 'Whether the owner is the one that controls the object; only one can be.',
    name: 'The name of the owner.',
    uid: 'The uid of the owner.',
  },
  'meta.v1.LabelSelector': {
    '': 'Which objects are meant, by their labels; all that is asked for has to hold. An empty one means all, an absent one none.',
    matchExpressions: 'Demands on labels: In, NotIn, Exists, DoesNotExist.',
    matchLabels: 'Labels with the values that they must have.',
  },
};
