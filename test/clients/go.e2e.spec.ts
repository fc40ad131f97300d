import { describeClient } from './describe-client';
import { goClients } from './go';

for (const client of goClients) describeClient(client);
