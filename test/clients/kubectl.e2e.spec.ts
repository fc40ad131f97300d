import { describeClient } from './describe-client';
import { kubectls } from './kubectl';

for (const kubectl of kubectls) describeClient(kubectl);
