import { runApp } from '#libs/app-shell';
import { PriorityAdmissionModule } from './priority-admission.module';

void runApp('priority-admission', PriorityAdmissionModule);
