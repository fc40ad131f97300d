import { describeClient } from './describe-client';
import { kopf } from './kopf';

describeClient(kopf);
