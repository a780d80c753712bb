# a wait for what nobody does
C: locknowait: 0: 0
C: locknowait: 1: 0
W: locked: 1: 0
T: locked: 0: 0
