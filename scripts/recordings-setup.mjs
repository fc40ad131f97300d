// Tells the tests where the recordings are, unpacking those of the repository where no others are.
import { recordingsFolder } from './recordings.mjs';

export function setup() {
  process.env.KUBEREEL_GOLDEN = recordingsFolder();
}
