import { runApp } from '#libs/app-shell';
import { PdbControllerModule } from './pdb-controller.module';

void runApp('pdb-controller', PdbControllerModule);
