import { describeClient } from './describe-client';
import { node } from './node';

describeClient(node);
