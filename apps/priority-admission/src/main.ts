import { runApp } from '#libs/app-shell';
import { priorityAdmissionLeavesOut } from './leaves-out';
import { PriorityAdmissionModule } from './priority-admission.module';

void runApp('priority-admission', PriorityAdmissionModule, { leavesOut: priorityAdmissionLeavesOut });
