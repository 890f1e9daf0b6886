/** The short forms of every second rig; `rigs-other.test.ts` runs the others. */
import { testEverySecond } from "./short-forms.ts";

testEverySecond(0);
