import { startCopying, startTheme } from './dom.ts';
import { List } from './list.ts';

document.documentElement.classList.add('live');
startTheme();
startCopying();
// A page without entries has no toolbar.
if (document.getElementById('text')) new List().start();
