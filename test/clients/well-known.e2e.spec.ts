import { describeClient } from './describe-client';
import { wellKnown } from './well-known';

describeClient(wellKnown);
