import { runApp } from '#libs/app-shell';
import { PriorityAdmissionModule } from './priority-admission.module';
import { priorityAdmissionLeavesOut } from './leaves-out';

void runApp('priority-admission', PriorityAdmissionModule, priorityAdmissionLeavesOut);
