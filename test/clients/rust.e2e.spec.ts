import { describeClient } from './describe-client';
import { rust } from './rust';

describeClient(rust);
