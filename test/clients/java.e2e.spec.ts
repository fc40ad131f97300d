import { describeClient } from './describe-client';
import { java } from './java';

describeClient(java);
