import type { Client } from './client';
import { Operator, playOperator } from './operator';
import { checks } from './operator-checks';
import { compileRust, kubeVersion, rustNeeds, takesLong } from './rust';

/** A Rust operator: kube's Controller, its definition derived. */
export const kubeRs: Client = {
  name: 'kube-rs',
  command: 'kube-rs',
  title: 'An operator in Rust: kube-rs',
  version: kubeVersion,
  needs: rustNeeds,
  onlyByName: takesLong,
  checks: Object.keys(checks),
  async prepare() {
    const made = await compileRust('operator');
    if ('missing' in made) return made;
    return {
      version: kubeVersion,
      play: (surroundings) => playOperator(new Operator([made.binary], surroundings, /^ERROR|panicked/), checks),
    };
  },
};
