import { runApp } from '#libs/app-shell';
import { PdbControllerModule } from './pdb-controller.module';
import { pdbControllerLeavesOut } from './leaves-out';

void runApp('pdb-controller', PdbControllerModule, pdbControllerLeavesOut);
