import type { Controller, Decision } from '#libs/control-loop';

/*
 * Controllers that break a rule, and write a log that is whole in itself: nobody has touched it, and it is not what the rules lead to.
 */

type Alter = (controller: Controller) => Controller;

/** The controller of a name, with something of it done otherwise. */
function altered(name: string, by: (inner: Controller<any>) => Partial<Controller<any>>): Alter {
  return (controller) => (controller.name === name ? { ...controller, ...by(controller) } : controller);
}

/** A queue that gives the pod of the lowest priority first. */
export const lowPriorityFirst = altered('scheduler', (inner) => ({
  initial: (cluster, now) => {
    const state = inner.initial(cluster, now);
    for (const framework of (state.queue as any).profiles.bySchedulerName.values()) {
      const [sort] = framework.plugins.queueSort;
      const less = sort.less.bind(sort);
      sort.less = (a: unknown, b: unknown) => less(b, a);
    }
    return state;
  },
}));

/** A scheduler that does not hear of one pod. */
export const deafTo = (pod: string): Alter =>
  altered('scheduler', (inner) => ({
    apply: (state, append, cluster) => {
      if (append.change?.object.metadata.name !== pod) inner.apply(state, append, cluster);
    },
  }));

/** A kubelet that gives every pod the same address. */
export const oneAddress = altered('kubelet', (inner) => ({
  decide: (state, cluster, subject, context) => {
    const decision = inner.decide(state, cluster, subject, context);
    if (!decision) return decision;
    const text = JSON.stringify(decision.steps).replace(/"(podIP|ip)":"10\.[0-9.]+"/g, '"$1":"10.244.0.99"');
    return { ...decision, steps: JSON.parse(text) as Decision['steps'] };
  },
}));
