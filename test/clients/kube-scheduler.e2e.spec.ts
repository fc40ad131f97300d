import { describeClient } from './describe-client';
import { kubeScheduler } from './stock';

describeClient(kubeScheduler);
